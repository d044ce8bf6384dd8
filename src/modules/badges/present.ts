import { computed, forms, object, of, Type } from '../../api/index.ts'
import { expand } from './placeholders.ts'
import type { BadgeRow } from './tables.ts'

/** The values of the placeholders in the addresses, by their names. */
type View = { values: ReadonlyMap<string, string> }

const text = Type.String()
const shown = of<Pick<BadgeRow, 'name' | 'link_url' | 'image_url'>, View>()

/** How a badge looks that is not stored (contract 25, RenderedBadge). */
export const RenderedBadge = object('RenderedBadge', shown, {
  name: forms.nullableString,
  link_url: text,
  image_url: text,
  rendered_link_url: computed(text, ({ link_url }, { values }) => expand(link_url, values)),
  rendered_image_url: computed(text, ({ image_url }, { values }) => expand(image_url, values)),
})

/** A badge (contract 25, Badge). */
export const Badge = object('Badge', of<BadgeRow, View>(), {
  ...RenderedBadge.fields,
  id: forms.id,
  kind: computed(Type.Union([Type.Literal('project'), Type.Literal('group')]), ({ project_id }) =>
    project_id === null ? ('group' as const) : ('project' as const),
  ),
})
