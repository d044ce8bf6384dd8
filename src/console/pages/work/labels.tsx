import type { Html } from '../../html/index.ts'
import { Label, withQuery } from '../../parts/parts.tsx'

export type LabelChoice = { name: string; color: string }

const grey = '#888888'

/** Labels with their colours: lists give only names where they were not asked for more. @param known labels by which names get a colour */
export function labelsOf(
  labels: readonly (string | LabelChoice)[],
  known: readonly LabelChoice[] = [],
): readonly LabelChoice[] {
  const colors = new Map(known.map(({ name, color }) => [name, color]))
  return labels.map((label) => (typeof label === 'string' ? { name: label, color: colors.get(label) ?? grey } : label))
}

/** Labels that lead to the list of what has them. @param list the address of the list */
export function LabelLinks({ labels, list }: { labels: readonly LabelChoice[]; list: string }): Html {
  return (
    <>
      {labels.map(({ name, color }) => (
        <Label name={name} color={color} href={withQuery(list, { labels: name, page: null })} />
      ))}
    </>
  )
}
