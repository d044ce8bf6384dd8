import { type ParamValues, t } from '../../api/index.ts'

export const namespaceFilter = {
  search: t.string({ description: 'Part of the name or path' }),
  owned_only: t.boolean({ description: 'Only namespaces that the caller owns' }),
  top_level_only: t.boolean(),
  full_path_search: t.boolean({ description: 'Search in the full path instead' }),
}
export type NamespaceFilter = ParamValues<typeof namespaceFilter>
