import { type ParamValues, t } from '../../../api/index.ts'

const name = t.string({ description: 'At most 255 characters, without a comma.' })
const color = t.string({ description: '`#RGB`, `#RRGGBB` or the name of a CSS colour.' })
const description = t.nullable(t.string({ description: 'Markdown, at most 4096 characters.' }))
const priority = t.clearable(t.integer({ description: 'In this project; 0 is the highest. Null removes it.' }))

const withAncestors = t.boolean({ description: 'Whether labels of the groups above count; default true.' })
const withCounts = t.boolean({ description: 'Whether to count the issues and merge requests of each label.' })
const search = t.string({ description: 'A part of the name or of the description.' })

export const labelLookup = { include_ancestor_groups: withAncestors }
export type LabelLookup = ParamValues<typeof labelLookup>

export const projectLabelFilter = { with_counts: withCounts, include_ancestor_groups: withAncestors, search }
export const groupLabelFilter = {
  ...projectLabelFilter,
  include_descendant_groups: t.boolean({ description: 'Whether labels of the groups below count; default false.' }),
  only_group_labels: t.boolean({ description: 'False adds the labels of the projects below; default true.' }),
}
export type LabelFilter = ParamValues<typeof groupLabelFilter>

export const newGroupLabel = { name: t.required(name), color: t.required(color), description }
export const newProjectLabel = { ...newGroupLabel, priority }
export type NewLabel = ParamValues<typeof newProjectLabel>

export const groupLabelChanges = { new_name: name, color, description }
export const projectLabelChanges = { ...groupLabelChanges, priority }
export type LabelChanges = ParamValues<typeof projectLabelChanges>

const groupFields = ['new_name', 'color', 'description'] as const

/** The parameters of which a change needs one, in the order in which the refusal names them. */
export const changeable = { project: [...groupFields, 'priority'] as const, group: groupFields }

/** A label named in the body or query instead of the path (deprecated). */
export const namedLabel = { label_id: t.integer(), name: t.string({ description: 'Name of the label.' }) }
export type NamedLabel = ParamValues<typeof namedLabel>
