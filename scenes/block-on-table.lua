-- A block on a table is pushed to and fro: it slips for a moment and sticks again.
--
-- Shows: dry friction with exact sticking, a load as a function of time.
-- Reference: the first slip ends at x = 0.004348570, the plateaus are 0.004348570 and -0.008697167,
-- the largest speed is 0.039544653 (closed form; Potra and Anitescu's example, Koziara's thesis
-- 13.4.5).

title "block on a frictional table"
material{name = "wood", friction = 0.8}
body{name = "table", kind = "fixed", shape = shape.half_space{offset = -0.05, material = "wood"}}
body{name = "block", mass = 1, shape = shape.box{size = {0.3, 0.3, 0.1}, material = "wood"},
     force = {signal.wave{amplitude = 8, frequency = 1, phase = math.pi / 2}, 0, 0}}
scheme "koziara"
solver "prox-newton" {tolerance = 1e-12}
run{step = 0.001, duration = 10, short_duration = 4}
output{every = 10}
history{quantity = "position", body = "block", component = "x"}
history{quantity = "velocity", body = "block", component = "x"}

local source = "closed form; Koziara's thesis, 13.4.5"
check{name = "first plateau", quantity = "position", body = "block", component = "x", at = 1,
      value = 0.004348570, tolerance = 1e-7, source = source}
check{name = "second plateau", quantity = "position", body = "block", component = "x", at = 4,
      value = -0.008697167, tolerance = 1e-6, source = source}
check{name = "plateau at the end", quantity = "position", body = "block", component = "x",
      value = -0.008697167, tolerance = 1e-6, source = source}
check{name = "largest speed", quantity = "velocity", body = "block", component = "length",
      reduction = "most", at = 4, value = 0.039544653, tolerance = 1e-5, source = source}
