-- A fast top on a fixed point under gravity.
--
-- Shows: a spherical joint; slow precession with nutation, energy kept.
-- The moments about the fixed point are 5, 5, 1 and M g l = 20, so that the motion is that of Simo
-- and Wong's top; here the body itself has M = 20, l = 0.1, g = 10, and the joint carries it.
-- Reference: energy 1269.106730 and the axis of the top at t = 10 (Koziara's thesis, 13.1.2).

title "heavy top"
gravity{0, 0, -10}
local tilt, l = 0.3, 0.1
local axis = {0, -math.sin(tilt), math.cos(tilt)}
local centre = {0, l * axis[2], l * axis[3]}
body{name = "top", mass = 20, position = centre, inertia = {5 - 0.2, 5 - 0.2, 1},
     orientation = {axis = {1, 0, 0}, angle = tilt},
     angular_velocity = {0, 50 * axis[2], 50 * axis[3]}}
joint.point{name = "foot", a = "top", point = {0, 0, 0}}
scheme "koziara" {rotation = "new3"}
solver "nsgs" {tolerance = 1e-12}
run{step = 1 / 1024, duration = 10}
output{every = 16}
history{quantity = "axis_z", body = "top", component = "x"}
history{quantity = "energy"}

local source = "Koziara's thesis, 13.1.2 with J = diag(5, 5, 1); fine integration"
check{name = "energy", quantity = "energy", value = 1269.106730, tolerance = 0.01, source = source}
for k, value in ipairs{-0.27486461, 0.15474152, 0.94894916} do
    check{name = "axis of the top " .. k, quantity = "axis_z", body = "top", component = k,
          value = value, tolerance = 1e-3, source = source}
end
