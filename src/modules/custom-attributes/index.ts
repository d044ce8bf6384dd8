import { t } from '../../api/index.ts'
import type { Module } from '../../platform/index.ts'

export { importCustomAttribute } from './imported.ts'
export { customAttributeOperations } from './operations.ts'
export { type Attribute, attributesOfAll, exportedCustomAttributes, withAllAttributes } from './store.ts'

/** Parameters of lists of users, groups and projects; ignored unless the caller is an administrator (contract 20, 21). */
export const attributeFilter = {
  custom_attributes: t.record(t.string(), {
    maximum: 100,
    description: 'For administrators: only those with these custom attributes, as `custom_attributes[key]=value`',
  }),
}

export const withAttributes = {
  with_custom_attributes: t.boolean({ description: 'For administrators: shows custom attributes' }),
}

/** Custom attributes (contract 20). The modules of their owners have the operations. */
export const customAttributes: Module = {
  name: 'custom-attributes',
  tags: { 'Custom attributes': 'Keys and values that administrators add to users, groups and projects.' },
  operations: [],
}
