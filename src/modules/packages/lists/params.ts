import { type ParamValues, t } from '../../../api/index.ts'
import { filteredTypes, packageStatuses } from '../core/words.ts'

const orders = ['created_at', 'name', 'version', 'type'] as const
const groupOrders = [...orders, 'project_path'] as const
export type PackageOrder = (typeof groupOrders)[number]

const filters = {
  sort: t.oneOf(['asc', 'desc'], { description: 'Default: `asc`.' }),
  package_type: t.oneOf(filteredTypes),
  package_name: t.string({ description: 'Words that the name contains, in any case.' }),
  package_version: t.string({ description: 'The whole version; `include_versionless` has no effect then.' }),
  include_versionless: t.boolean({ description: 'Also packages without a version.' }),
  status: t.oneOf(packageStatuses, { description: 'Default: `default` and `deprecated`.' }),
}

const orderBy = { description: 'Default: `created_at`.' }

/** Parameters of x.packages_list. */
export const packageFilter = { order_by: t.oneOf(orders, orderBy), ...filters }

/** Parameters of x.group_packages_list. */
export const groupPackageFilter = {
  order_by: t.oneOf(groupOrders, orderBy),
  ...filters,
  exclude_subgroups: t.boolean({ description: 'Only packages of the projects of the group itself.' }),
}
export type PackageFilter = ParamValues<typeof groupPackageFilter>
