import { type Operation, operation, pageOf, reading, t } from '../../../api/index.ts'
import type { GroupSubject } from '../../groups/index.ts'
import type { GroupReleases } from '../of-group.ts'
import { Release } from '../present.ts'

/** The releases of the projects of a group (contract 22, x.group_releases). */
export function groupReleaseOperations({
  ofGroup,
  group,
}: {
  ofGroup: GroupReleases
  group: GroupSubject
}): Operation[] {
  return [
    operation({
      id: 'releases.list_of_group',
      contract: 'x.group_releases',
      method: 'GET',
      path: '/groups/:id/releases',
      tag: 'Releases',
      summary: 'List the releases of the projects of a group',
      subject: group,
      allow: 'read_group',
      scopes: reading,
      params: {
        sort: t.oneOf(['asc', 'desc'], { description: 'By the date of the release; default `desc`.' }),
        simple: t.boolean({ description: 'Whether to show little more than names and dates.' }),
      },
      result: [200, pageOf(Release)],
      run: ({ subject, actor, params, page }) => ofGroup.list(subject, actor, params, page),
    }),
  ]
}
