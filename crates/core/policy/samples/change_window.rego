package windlass.change_window

import rego.v1

# Production may be changed on these days, from the first hour until the end hour, in this time zone.
zone := "Europe/London"

days := {"Monday", "Tuesday", "Wednesday", "Thursday"}

first_hour := 10

end_hour := 16

production if lower(input.environment) in {"prod", "production"}

# The platform's clock decides.
deny contains message if {
	production
	now := time.now_ns()
	not within(now)
	message := sprintf("production can be changed %s; it is %s", [window, moment(now)])
}

# A payload may carry the moment the pipeline saw. It may only be stricter than the clock.
deny contains message if {
	production
	seen := time.parse_rfc3339_ns(input.currentTime)
	not within(seen)
	message := sprintf("production can be changed %s; the pipeline says %s", [window, moment(seen)])
}

deny contains message if {
	production
	is_string(input.currentTime)
	not time.parse_rfc3339_ns(input.currentTime)
	message := sprintf("currentTime is %q; expected a moment such as 2026-03-02T14:00:00Z", [input.currentTime])
}

deny contains message if {
	production
	day := input.dayOfWeek
	not may_be(day)
	message := sprintf("production can be changed %s; the pipeline says it is %v", [window, day])
}

# What is no day at all may not be.
may_be(day) if lower(day) in {lower(allowed) | some allowed in days}

within(ns) if {
	time.weekday([ns, zone]) in days
	hour := time.clock([ns, zone])[0]
	hour >= first_hour
	hour < end_hour
}

window := sprintf("Monday to Thursday from %d:00 to %d:00 (%s)", [first_hour, end_hour, zone])

moment(ns) := sprintf("%s %s:%s", [time.weekday([ns, zone]), two(hour), two(minute)]) if {
	[hour, minute, _] := time.clock([ns, zone])
}

two(n) := sprintf("%d", [n]) if n >= 10

two(n) := sprintf("0%d", [n]) if n < 10
