-- A ball lies in a groove whose two walls move towards each other.
--
-- Shows: obstacles with different motions, where a solution is not granted by the motion of the
-- obstacles; here it exists, since the ball can move up.
-- Reference: without friction the ball rises at speed / tan(angle) exactly (Acary and Cadoux 2013,
-- figure 4.6).

title "two obstacles"
local angle, speed, r = math.pi / 4, 0.2, 0.1
material{name = "smooth", friction = param("friction", 0)}
for name, side in pairs{left = -1, right = 1} do
    -- a box whose upper face is the wall; at the start both pass through the origin
    body{name = name, kind = "prescribed", velocity = {-side * speed, 0, 0},
         orientation = {axis = {0, 1, 0}, angle = -side * angle},
         shape = shape.box{size = {4, 1, 0.2}, position = {side * 2, 0, -0.1}, material = "smooth"}}
end
body{name = "ball", mass = 1, position = {0, 0, r / math.cos(angle)},
     shape = shape.sphere{radius = r, material = "smooth"}}
scheme "koziara"
solver "nsgs" {tolerance = 1e-12}
run{step = 1e-3, duration = 1}
output{every = 10}
history{quantity = "position", body = "ball", component = "z"}

check{name = "rises with the walls", quantity = "velocity", body = "ball", component = "z",
      value = speed * math.tan(angle), tolerance = 1e-9, source = "kinematics of the groove"}
check{name = "height", quantity = "position", body = "ball", component = "z",
      value = r / math.cos(angle) + speed * math.tan(angle), tolerance = 2e-4,
      source = "the first step takes up the speed"}
check{name = "unsolved steps", quantity = "unsolved", value = 0, tolerance = 0,
      source = "Acary and Cadoux 2013, figure 4.6"}
