export { createMetrics, type Metrics } from './metrics.ts'
export { createMonitoring } from './service.ts'
