package functions

import "context"

// OnConfigChange answers context::on-config-change: whatever the payload says,
// the settings are fetched again.
func (s *Service) OnConfigChange(ctx context.Context, _ *OnConfigChangeEvent) (*OnConfigChangeResponse, error) {
	if s.configChanged != nil {
		s.configChanged(ctx)
	}
	return &OnConfigChangeResponse{OK: true}, nil
}

// OnModelsChanged answers context::on-models-changed: every cached limit is
// dropped.
func (s *Service) OnModelsChanged(ctx context.Context, _ *OnModelsChangedEvent) (*OnModelsChangedResponse, error) {
	if s.modelsChanged != nil {
		s.modelsChanged(ctx)
	}
	return &OnModelsChangedResponse{OK: true}, nil
}
