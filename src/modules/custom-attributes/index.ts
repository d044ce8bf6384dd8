export { exportedCustomAttributes } from './export.ts'
export { customAttributeOperations } from './operations.ts'
export { attributeFilter, withAttributes } from './params.ts'
export { type Attribute, areCommon, attributesOfAll, haveAttributes, projectsWithAttributes } from './store.ts'
