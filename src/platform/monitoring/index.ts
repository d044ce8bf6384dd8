export { monitorProcess, monitorSiblings } from './answers.ts'
export { createMetrics, type OpenMeasure } from './metrics.ts'
export { createMonitoring } from './service.ts'
