/** The formats that the server has (contract 23). */
export const packageTypes = ['generic', 'npm', 'pypi', 'maven'] as const
export type PackageType = (typeof packageTypes)[number]

/** Formats by which lists can be filtered; of most there are no packages. */
export const filteredTypes = [
  ...['maven', 'npm', 'conan', 'nuget', 'pypi', 'composer', 'generic', 'golang', 'debian', 'rubygems', 'helm'],
  ...['terraform_module', 'rpm', 'ml_model'],
] as const

/** Formats that protection rules can name. */
export const ruleTypes = ['generic', 'npm', 'pypi', 'maven', 'conan', 'helm', 'nuget'] as const
export type RuleType = (typeof ruleTypes)[number]

/** States of a package (contract 23 R6). `processing` and `error` are never reached: packages are checked before the answer. */
export const packageStatuses = [
  'default',
  'hidden',
  'processing',
  'error',
  'pending_destruction',
  'deprecated',
] as const

/** The states that packages have. */
export const storedStatuses = ['default', 'hidden', 'deprecated', 'pending_destruction'] as const
export type StoredStatus = (typeof storedStatuses)[number]

/** The states in which lists show packages unless one is asked for. */
export const listedStatuses: readonly StoredStatus[] = ['default', 'deprecated']

/** The states in which clients can install a package. */
export const installableStatuses: readonly StoredStatus[] = ['default', 'hidden', 'deprecated']

/** Whether a package can be looked at by itself. */
export const isDisplayable = ({ status }: { status: StoredStatus }) => listedStatuses.includes(status)
