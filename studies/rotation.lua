-- A body without forces that turns about all three axes (Koziara 2008, section 5.2.4), for the study of rotation schemes.
title "free rotation"
gravity{0, 0, 0}
body{name = "top", mass = 1, inertia = {0.9144, 1.098, 1.66}, angular_velocity = {0.45549, 0.82623, 0.03476}}
scheme "koziara" {rotation = param("rotation", "new3")}
local h, steps = param("h", 1 / 64), param("steps", 6400)
run{step = h, duration = h * steps, energy_alarm = false}
output{every = param("every", 6400), contacts = false, pairs = false, solver = false}
for _, axis in ipairs{"axis_x", "axis_y", "axis_z"} do
    for _, k in ipairs{"x", "y", "z"} do history{name = axis .. k, quantity = axis, body = "top", component = k} end
end
history{name = "energy", quantity = "energy"}
