import { forms, oneOf, type ParamValues, Type, t } from '../../../api/index.ts'

/** How many files of one name a package keeps. */
const keepCounts = ['all', '1', '10', '20', '30', '40', '50'] as const

/** How old files of packages are cleaned up (contract 23 R8). */
export type PackagesPolicy = {
  keep_n_duplicated_package_files: (typeof keepCounts)[number]
  /** Null while all files are kept. */
  next_run_at: string | null
}

export const packagesPolicySchema = Type.Object(
  { keep_n_duplicated_package_files: oneOf(keepCounts), next_run_at: forms.nullableTimestamp },
  { title: 'PackagesCleanupPolicy' },
)

export const defaultPackagesPolicy: PackagesPolicy = { keep_n_duplicated_package_files: 'all', next_run_at: null }

/** The members of the policy in a request. */
export const packagesPolicyParam = t.object({
  keep_n_duplicated_package_files: t.oneOf(keepCounts, {
    description: 'How many of the newest files of one name a package keeps',
  }),
})

const periodMs = 12 * 3_600_000

/** When a policy runs next that was set, or has run, at `now`. */
export const nextPackagesRun = (now: string): string => new Date(Date.parse(now) + periodMs).toISOString()

/** The policy after a request. */
export function changePackagesPolicy(
  current: Readonly<PackagesPolicy>,
  given: ParamValues<{ policy: typeof packagesPolicyParam }>['policy'] & object,
  now: string,
): PackagesPolicy {
  const { keep_n_duplicated_package_files: keep = current.keep_n_duplicated_package_files } = given
  if (keep === current.keep_n_duplicated_package_files) return { ...current }
  return { keep_n_duplicated_package_files: keep, next_run_at: keep === 'all' ? null : nextPackagesRun(now) }
}
