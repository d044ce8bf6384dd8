import type { Page } from '../../../page.ts'
import { ownRule } from './approvals/own-rule.tsx'
import { ownRules } from './approvals/own-rules.tsx'
import { approvalSettingPages } from './approvals/settings.tsx'
import { changes } from './changes/changes.tsx'
import { editRequest, newRequest } from './forms.tsx'
import { requestLists } from './lists.tsx'
import { overview } from './overview.tsx'
import { commitsTab, pipelinesTab } from './tabs.tsx'
import { mergeTrains } from './trains/list.tsx'

/** The pages about merge requests. Of two that match an address, the first is shown. */
export const requestPages: readonly Page[] = [
  ...requestLists,
  ...[newRequest, overview, commitsTab, pipelinesTab, changes, ownRules, ownRule, editRequest, mergeTrains],
  ...approvalSettingPages,
]
