import './tables.ts'
import type { Module } from '../../platform/index.ts'
import * as incidents from './incidents/operations.ts'
import { incidentImages } from './incidents/store.ts'
import { imageRemoval } from './shared/removal.ts'

export {
  incidentMetricImagesCreate,
  incidentMetricImagesDelete,
  incidentMetricImagesList,
} from './incidents/operations.ts'
export {
  changeImage,
  deleteImage,
  imageNotFound,
  imageTexts,
  type NewImage,
  newImage,
  serveImage,
  storeImage,
} from './shared/images.ts'
export { type ImageKind, imageObject } from './shared/kind.ts'
export { imageRemoval } from './shared/removal.ts'

const removal = imageRemoval(incidentImages, {
  names: { remove: 'metric_images.remove_of_incidents', sweep: 'metric_images.sweep_of_incidents' },
  offsetSeconds: 5.5 * 3600,
})

/** Removes the metric images of the incidents of a project that is deleted. */
export const removeIncidentImages = removal.afterProject

/** Images of what was measured: those of incidents, and what those of alerts have in common with them (contracts 07, 26.10). */
export const metricImages: Module = {
  name: 'metric-images',
  tags: { 'Metric images': 'Images of what was measured during incidents.' },
  operations: Object.values(incidents),
  jobs: [removal.ofProject, removal.strays],
  checks: [removal.problems],
}
