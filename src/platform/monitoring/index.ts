export { monitorProcess, monitorSiblings } from './answers.ts'
export { createMetrics, type OpenMeasure } from './metrics.ts'
export { createReadiness, type Failing } from './readiness.ts'
export { createMonitoring } from './service.ts'
