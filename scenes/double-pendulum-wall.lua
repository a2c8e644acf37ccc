-- A double pendulum swings against a rigid wall.
--
-- Shows: joints and impacts with restitution 0.1 together.
-- Reference: places of both masses at four times, E0 = 21.49354; five impacts in 2.5 s. The step of
-- 1 ms gives them to 2e-3 (Koziara's thesis, 13.4.4; positions from an event-driven integration).

title "double pendulum and wall"
local r = 0.01
material{name = "ball", friction = 0, restitution = 0.1}
local a = {math.sin(math.pi / 3), 0, 2 - math.cos(math.pi / 3)}
local b = {a[1] + math.sin(math.pi / 5), 0, a[3] - math.cos(math.pi / 5)}
for name, place in pairs{first = a, second = b} do
    body{name = name, kind = "point", mass = 1, position = place, material = "ball",
         shape = shape.sphere{radius = r}}
end
-- the masses' centres meet the wall at x = 0
body{name = "wall", kind = "fixed", shape = shape.half_space{normal = {1, 0, 0}, offset = -r,
     material = "ball"}}
joint.rod{a = "first", b = "ground", point = a, to = {0, 0, 2}}
joint.rod{a = "second", b = "first", point = b, to = a}
scheme "koziara"
solver "nsgs" {tolerance = 1e-11}
run{step = 0.001, duration = 2.5}
output{every = 10}
history{quantity = "position", body = "first", component = "x"}
history{quantity = "position", body = "second", component = "x"}
history{quantity = "energy"}

local source = "Koziara's thesis, 13.4.4; event-driven integration"
for _, row in ipairs{{0.5, 0.0962, 0.7603}, {1.0, 0.2237, 0.1732}, {1.5, 0.0755, 0.3451},
                     {2.0, 0.1236, 0.0499}, {2.5, 0.0220, 0.0239}} do
    check{name = "first mass", quantity = "position", body = "first", component = "x",
          at = row[1], value = row[2], tolerance = 3e-3, source = source}
    check{name = "second mass", quantity = "position", body = "second", component = "x",
          at = row[1], value = row[3], tolerance = 3e-3, source = source}
end
check{name = "energy at the start", quantity = "energy", reduction = "most", value = 21.49354,
      tolerance = 1e-2, source = source}
