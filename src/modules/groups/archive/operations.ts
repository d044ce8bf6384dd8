import { writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../access.ts'
import { GroupDetail } from '../core/present.ts'
import { requireOwnArchive, setGroupArchived } from './archive.ts'

const shared = { tag: 'Groups', subject: group, allow: 'archive_group', scopes: writing } as const

export const groupsArchive = operation({
  ...shared,
  id: 'groups.archive',
  contract: 'x.groups_archive',
  method: 'POST',
  path: '/groups/:id/archive',
  summary: 'Archive a group',
  description: 'Every project and subgroup in it becomes read-only, as archived projects are.',
  result: [201, GroupDetail],
  run: ({ platform, subject, actor, act }) => setGroupArchived(platform, subject, true, { actor, act }),
})

export const groupsUnarchive = operation({
  ...shared,
  id: 'groups.unarchive',
  contract: 'x.groups_unarchive',
  method: 'POST',
  path: '/groups/:id/unarchive',
  summary: 'Unarchive a group',
  description: 'Projects and subgroups that were archived themselves stay archived.',
  result: [201, GroupDetail],
  permits: ({ subject }) => requireOwnArchive(subject),
  run: ({ platform, subject, actor, act }) => setGroupArchived(platform, subject, false, { actor, act }),
})
