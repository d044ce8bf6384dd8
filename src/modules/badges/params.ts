import { type ParamValues, t } from '../../api/index.ts'

export const badgeId = { badge_id: t.id() }

/** Parameters of x.badge_list. */
export const badgeFilter = { name: t.string({ description: 'The exact name.' }) }
export type BadgeFilter = ParamValues<typeof badgeFilter>

/** Parameters of x.badge_render. */
export const badgeAddresses = {
  link_url: t.required(t.string({ description: 'Where it leads, such as `https://ci.example/%{project_path}`.' })),
  image_url: t.required(t.string({ description: 'Where its image is; with the same placeholders.' })),
}
export type BadgeAddresses = ParamValues<typeof badgeAddresses>

/** Parameters of x.badge_update. */
export const badgeChanges = {
  name: t.string(),
  link_url: t.string({ description: 'Where it leads, such as `https://ci.example/%{project_path}`.' }),
  image_url: t.string({ description: 'Where its image is; with the same placeholders.' }),
}
export type BadgeChanges = ParamValues<typeof badgeChanges>

/** Parameters of x.badge_create. */
export const newBadge = { name: badgeChanges.name, ...badgeAddresses }
export type NewBadge = ParamValues<typeof newBadge>
