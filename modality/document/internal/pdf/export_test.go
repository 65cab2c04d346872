package pdf

// AllowOneJob lets one job of r be at work at a time, on any machine.
func AllowOneJob(r *Resolver) {
	r.init()
	r.working = make(chan struct{}, 1)
}
