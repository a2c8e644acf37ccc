-- A ball hits a plate again and again.
--
-- Shows: Newton's impact law v+ = -e v-. Try --param restitution=1: the energy stays 8 J.
-- Reference: v after the first impact is 4 e; with e = 1 the energy is kept (Koziara's thesis,
-- 13.4.2).

title "sphere impacting a plate"
local e = param("restitution", 0.5)
gravity{0, 0, -10}
material{name = "ball", friction = 0, restitution = e}
floor{material = "ball"}
body{name = "ball", mass = 1, position = {0, 0, 0.1}, velocity = {0, 0, -4},
     shape = shape.sphere{radius = 0.1, material = "ball"}}
scheme "koziara"
run{step = 0.001, duration = 2.4}
output{every = 10}
history{quantity = "velocity", body = "ball", component = "z"}
history{quantity = "energy"}

-- the first step takes up the impact: e v + g h at most
check{name = "velocity after the first impact", quantity = "velocity", body = "ball",
      component = "z", at = 0.001, value = 4 * e, tolerance = 0.0101,
      source = "Koziara's thesis, 13.4.2"}
check{name = "comes to rest, or bounces on with e = 1", quantity = "energy",
      value = e < 1 and 1 or 9, tolerance = e < 1 and 1e-2 or 1e-2,
      source = "m g r at rest; 8 J and m g r with e = 1"}
