import { type ParamValues, t } from '../../api/index.ts'

export const tagFilter = {
  order_by: t.oneOf(['name', 'updated', 'version'], { description: 'Default `updated`: the time of creation.' }),
  sort: t.oneOf(['asc', 'desc'], { description: 'Default `desc`.' }),
  search: t.string({ description: 'Part of the name; `^` and `$` anchor it, `*` stands for anything.' }),
}
export type TagFilter = ParamValues<typeof tagFilter>
export type TagOrder = NonNullable<TagFilter['order_by']>

export const newTag = {
  tag_name: t.required(t.string({ description: 'Name of the new tag.' })),
  ref: t.required(t.string({ description: 'Branch, tag or commit to be tagged.' })),
  message: t.string({ maxLength: 1_048_576, description: 'Makes an annotated tag with this message.' }),
}
export type NewTag = ParamValues<typeof newTag>
