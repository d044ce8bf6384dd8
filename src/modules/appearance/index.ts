import type { Module } from '../../platform/index.ts'
import { imageCheck, sweepImages } from './appearance.ts'
import * as operations from './operations.ts'

export { mailLines } from './appearance.ts'

/** How the instance looks (contract 25). */
export const appearance: Module = {
  name: 'appearance',
  tags: { Appearance: 'Title, images and messages of the instance.' },
  operations: Object.values(operations),
  jobs: [sweepImages],
  checks: [imageCheck],
}
