-- A spinning plate hangs by a weightless rod from a point in space.
--
-- Shows: a joint together with a rotation scheme; new3 is the most accurate, new1 falls to first
-- order. Reference: place and axes at t = 1 by a very fine integration; the error of new3 at
-- h = 2^-10 is 3.0e-4 in all coordinates together (Koziara's thesis, 13.1.3).

title "plate with rod"
material{name = "plate", density = 1}
body{name = "plate", material = "plate", angular_velocity = {0, 0, 50},
     shape = shape.box{size = {0.2, 0.2, 0.01}}}
joint.rod{name = "rod", a = "plate", point = {0.1, 0, 0}, to = {0, 0, 0.3}}
scheme "koziara" {rotation = "new3"}
solver "nsgs" {tolerance = 1e-12}
-- the thesis' scheme does not project positions
run{step = 1 / 1024, duration = 1, projection = false}
output{every = 4}
history{quantity = "position", body = "plate", component = "z"}
history{quantity = "kinetic"}

local source = "Koziara's thesis, 13.1.3, mean form of the joint; integration with h = 2^-22"
for k, value in ipairs{-0.000271517, 0.000126220, -0.000797024} do
    check{name = "centre " .. k, quantity = "centre", body = "plate", component = k,
          value = value, tolerance = 3e-4, source = source}
end
for k, value in ipairs{0.96245665, 0.27133976, 0.00720626} do
    check{name = "first axis " .. k, quantity = "axis_x", body = "plate", component = k,
          value = value, tolerance = 3e-4, source = source}
end
