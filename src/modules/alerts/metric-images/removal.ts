import { imageRemoval } from '../../metric-images/index.ts'
import { alertImages } from './store.ts'

export const {
  ofProject: removeImagesJob,
  strays: sweepImagesJob,
  afterProject: removeMetricImages,
  problems: imageProblems,
} = imageRemoval(alertImages, {
  names: { remove: 'alerts.remove_images', sweep: 'alerts.sweep_images' },
  offsetSeconds: 5.75 * 3600,
})
