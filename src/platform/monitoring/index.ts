export { createMetrics, type OpenMeasure } from './metrics.ts'
export { createMonitoring } from './service.ts'
