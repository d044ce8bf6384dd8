import { compileRegex } from '../../../infra/regex/index.ts'
import { wildcardMatcher } from '../../../infra/wildcards/index.ts'
import type { WebHookRow } from '../tables.ts'

type Filtered = Pick<WebHookRow, 'push_events_branch_filter' | 'branch_filter_strategy'>

/** Whether pushes to a branch call a hook (contract 21, push_events_branch_filter). */
export function acceptsBranch(hook: Filtered, branch: string): boolean {
  const { push_events_branch_filter: filter, branch_filter_strategy: strategy } = hook
  if (filter === null || strategy === 'all_branches') return true
  if (strategy === 'wildcard') return wildcardMatcher(filter)(branch)
  return compileRegex(filter).matcher(branch).find()
}
