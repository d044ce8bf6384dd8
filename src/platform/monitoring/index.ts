export { createMetrics } from './metrics.ts'
export { createMonitoring } from './service.ts'
