import { t } from '../../api/index.ts'

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
