import { badRequest } from '../../../api/index.ts'
import { type GroupSubject, group } from '../../groups/index.ts'

/** A top-level group. A subgroup is refused before the role of the caller is checked (contract 13, ETOP). */
export const topLevelGroup: GroupSubject = {
  ...group,
  async find(platform, request, actor) {
    const found = await group.find(platform, request, actor)
    if (found.parent_id !== null) throw badRequest('Must be a top-level group')
    return found
  },
}
