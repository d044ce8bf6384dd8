import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { exportedProtectedTags } from './export.ts'
export { protectedTagRule } from './gate-rule.ts'
export { importProtectedTag } from './imported.ts'
export { mayCreateTag, protectedTagTest } from './tag-access.ts'

export const protectedTags: Module = {
  name: 'protected-tags',
  tags: { 'Protected tags': 'Rules for who may create tags.' },
  operations: Object.values(operations),
}
