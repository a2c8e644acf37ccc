-- A block in a rotating drum, which slides under it.
--
-- Shows: friction on a moving obstacle made of many faces. At the slope of its friction the block
-- stays where it is; put elsewhere (--param start=0) it swings about that place without end, since
-- sliding friction of one direction is a constant force along the wall.
-- Reference: the angle atan(mu) from the bottom, up to half of the drum's faces of 4 degrees.

title "rotating drum"
local R, r, mu, n = 1, 0.05, 0.3, 90
material{name = "steel", density = 7800, friction = mu}
local walls = {}
for k = 1, n do
    local a = 2 * math.pi * k / n
    local length = 2 * (R + 0.1) * math.tan(math.pi / n)
    walls[k] = shape.box{size = {length, 0.5, 0.1}, material = "steel",
        position = {(R + 0.05) * math.sin(a), 0, -(R + 0.05) * math.cos(a)},
        orientation = {axis = {0, 1, 0}, angle = -a}}
end
body{name = "drum", kind = "prescribed", shape = walls, angular_velocity = {0, -0.5, 0}}
-- a point mass does not roll
local angle = math.atan(mu)
local start = param("start", angle)
body{name = "block", kind = "point",
     position = {(R - r) * math.sin(start), 0, -(R - r) * math.cos(start)},
     shape = shape.sphere{radius = r, material = "steel"}}
run{step = 1e-3, duration = 4}
output{every = 10}
history{quantity = "position", body = "block", component = "x"}
history{quantity = "position", body = "block", component = "z"}

check{name = "stays at the friction angle", quantity = "position", body = "block", component = "x",
      value = (R - r) * math.sin(angle), tolerance = (R - r) * math.sin(math.pi / n),
      source = "slope = atan(mu), up to half a face"}
