-- A row of dominoes falls.
--
-- Shows: impacts that travel along a row, friction between falling pieces.
-- Reference: the last one lies flat at the end: its long axis is horizontal and its middle half a
-- thickness above the floor.

title "dominoes"
local n = param("count", 12)
local t, w, h, pitch = 0.008, 0.024, 0.048, 0.024
material{name = "domino", density = 1200, friction = 0.4}
floor{material = "domino"}
for i = 1, n do
    body{name = "domino" .. i, position = {(i - 1) * pitch, 0, h / 2},
         angular_velocity = {0, i == 1 and 4 or 0, 0},
         velocity = {i == 1 and 4 * h / 2 or 0, 0, 0},
         shape = shape.box{size = {t, w, h}, material = "domino"}}
end
solver "auto" {tolerance = 1e-9}
run{step = 5e-4, duration = 1.5}
output{every = 10}
history{quantity = "axis_z", body = "domino1", component = "z"}
history{quantity = "axis_z", body = "domino" .. n, component = "z"}

check{name = "the last one lies flat", quantity = "axis_z", body = "domino" .. n, component = "z",
      value = 0, tolerance = 0.02, source = "lies on its face"}
check{name = "on the floor", quantity = "position", body = "domino" .. n, component = "z",
      value = t / 2, tolerance = 5e-4, source = "half its thickness"}
