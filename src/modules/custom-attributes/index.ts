import type { Module } from '../../platform/index.ts'

export { exportedCustomAttributes } from './export.ts'
export { customAttributeOperations } from './operations.ts'
export { attributeFilter, withAttributes } from './params.ts'
export { type Attribute, attributesOfAll, withAllAttributes } from './store.ts'

/** Custom attributes (contract 20). The modules of their owners have the operations. */
export const customAttributes: Module = {
  name: 'custom-attributes',
  tags: { 'Custom attributes': 'Keys and values that administrators add to users, groups and projects.' },
  operations: [],
}
