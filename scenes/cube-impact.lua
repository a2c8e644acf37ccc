-- A cube lands flat on a plate.
--
-- Shows: four simultaneous impacts at the corners act like one; no energy grows.
-- Reference: velocities as those of a ball, v+ = e v- (Koziara's thesis, 13.4.3).

title "cube impacting a plate"
local e = param("restitution", 0.5)
gravity{0, 0, -10}
material{name = "cube", density = 125, friction = 0, restitution = e}
floor{material = "cube"}
body{name = "cube", position = {0, 0, 0.1}, velocity = {0, 0, -4},
     shape = shape.box{size = {0.2, 0.2, 0.2}, material = "cube"}}
scheme "koziara"
solver "nsgs" {tolerance = 1e-12}
run{step = 0.001, duration = 2.4}
output{every = 10}
history{quantity = "velocity", body = "cube", component = "z"}
history{quantity = "energy"}

check{name = "velocity after the first impact", quantity = "velocity", body = "cube",
      component = "z", at = 0.001, value = 4 * e, tolerance = 0.0101,
      source = "Koziara's thesis, 13.4.3"}
check{name = "does not turn", quantity = "axis_z", body = "cube", component = "z",
      value = 1, tolerance = 1e-9, source = "symmetry"}
check{name = "energy never grows", quantity = "energy", reduction = "most", value = 1 + 8 * e * e,
      tolerance = 0.011, source = "m g r and e^2 of the 8 J after the first impact"}
