-- A ball hits a plate again and again.
--
-- Shows: Newton's impact law v+ = -e v-. Try --param restitution=1: the energy stays 8 J.
-- Reference: v after the first impact is 4 e, the energy (4 e)^2/2 and m g r; with e = 1 the energy
-- is kept (Koziara's thesis, 13.4.2).

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

-- 10 ms later: in flight it does not matter when within the first step, or in which time, the
-- impact took place; its place is known to half of the way of a step, m g v h/2
check{name = "energy after the first impact", quantity = "energy", at = 0.01, value = 8 * e^2 + 1,
      tolerance = 0.02, source = "v = 4 e behind it, Koziara's thesis, 13.4.2"}
check{name = "comes to rest, or bounces on with e = 1", quantity = "energy",
      value = e < 1 and 1 or 9, tolerance = e < 1 and 1e-2 or 1e-2,
      source = "m g r at rest; 8 J and m g r with e = 1"}
