-- A body without forces turns about all three axes.
--
-- Shows: the rotation schemes of Koziara's contact dynamics (new1, new2, new3) keep momentum and
-- energy over many turns. Try --set scheme.rotation=new1 --set run.step=0.125.
-- Reference: rotation matrix at t = 100 and kinetic energy, by a fourth-order integration of
-- Euler's equations; the error of new3 at this step is 1.4e-4 (Koziara's thesis, 5.2.4).

title "free rotation"
gravity{0, 0, 0}
body{name = "top", mass = 1, inertia = {0.9144, 1.098, 1.66},
     angular_velocity = {0.45549, 0.82623, 0.03476}}
scheme "koziara" {rotation = "new3"}
run{step = 1 / 64, duration = 100}
output{every = 16}
history{quantity = "axis_x", body = "top", component = "x"}
history{quantity = "energy"}

local source = "Koziara's thesis, 5.2.4; fourth-order integration"
local axis = {0.9379823913, 0.2861621071, 0.1957045787}
for k, value in ipairs(axis) do
    check{name = "first axis " .. k, quantity = "axis_x", body = "top", component = k,
          value = value, tolerance = 1.4e-4, source = source}
end
check{name = "kinetic energy", quantity = "kinetic", value = 0.4706368101, tolerance = 1e-5,
      source = source}
