package worker

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"context-manager/config"
)

// read puts the stored value in force. A value that is bad changes nothing,
// or, at boot, leaves the shipped settings in force.
func (c *configuration) read(ctx context.Context) error {
	value, err := c.entry.get(ctx)
	switch {
	case codeIs(err, "EXPAND_FAILED"): // the engine names the variable
		c.complain(slog.LevelError, "the stored configuration is bad; "+c.inForce(), err)
		return nil
	case codeIs(err, "SCHEMA_INVALID"):
		if raw, rawErr := c.entry.getRaw(ctx); rawErr == nil {
			if _, _, bad := config.Decode(raw); bad != nil {
				err = fmt.Errorf("%w (%w)", bad, err)
			}
		}
		c.complain(slog.LevelError, "the stored configuration is bad; "+c.inForce(), err)
		return nil
	case err != nil:
		return err
	}
	next, warnings, err := config.Decode(value)
	switch {
	case err != nil:
		c.complain(slog.LevelError, "the stored configuration is bad; "+c.inForce(), err)
		return nil
	case len(warnings) > 0:
		c.complain(slog.LevelWarn, "stored configuration: "+strings.Join(warnings, "; "), nil)
	}
	if c.apply(next) && len(warnings) == 0 {
		c.last = ""
	}
	return nil
}

// complain logs a problem unless it is the one logged last.
func (c *configuration) complain(level slog.Level, message string, err error) {
	args := []any{"id", c.id}
	if err != nil {
		args = append(args, "error", err)
	}
	if said := fmt.Sprint(message, err); said != c.last {
		c.last = said
		c.log.Log(context.Background(), level, message, args...)
	}
}

// inForce says what goes on being in force.
func (c *configuration) inForce() string {
	if !c.good {
		return "running on the shipped settings"
	}
	return "the last good settings stay in force"
}

// apply puts settings in force. The lease directory is opened before; where
// that fails the old one stays, the rest is applied, and the next notice tries
// again. At boot there is none to keep: serve opens it. It reports whether all
// of the settings are in force.
func (c *configuration) apply(next config.Settings) (whole bool) {
	whole = true
	if c.following {
		if err := c.leases.use(next.LeaseDir); err != nil {
			c.complain(slog.LevelError, "lease_dir cannot be used; the last good one stays in force", err)
			next.LeaseDir = c.live.Load().LeaseDir
			whole = false
		}
	}
	if changed := config.Diff(*c.live.Load(), next); len(changed) > 0 {
		c.log.Info("settings in force", "id", c.id, "changed", changed)
	}
	c.live.Store(&next)
	c.good = true
	return whole
}
