import { t, takenIn } from '../../../api/index.ts'

export const linkTypes = ['relates_to', 'blocks', 'is_blocked_by'] as const
/** How an issue is linked to another one, seen from it. */
export type LinkType = (typeof linkTypes)[number]

export const newLink = {
  target_project_id: t.required(t.string({ description: 'Id or path of the project.' })),
  target_issue_iid: t.required(t.integer()),
  link_type: takenIn<LinkType>({ tier: 'premium' }, t.oneOf(linkTypes), t.oneOf(['relates_to'])),
}
