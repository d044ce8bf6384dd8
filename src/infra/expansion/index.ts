/** References such as `$NAME` in texts. */

const reference = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g

/** A longer result stays as it was written, so that references that double a value have an end. */
const longestResult = 1_048_576
/** The same for all results together: many variables may refer to one large value. */
const longestResults = 10 * longestResult

type Expandable = { key: string; value: string; raw: boolean; file?: boolean }

/**
 * Replaces `$NAME` and `${NAME}` by their values (contract 03, "Expansion"). Unknown names stay; so does the whole text when the result
 * would have more than 1,048,576 characters.
 * @param keepEscapes leaves `$$` for a later expansion; otherwise it becomes `$`
 */
export function expandText(text: string, resolve: (name: string) => string | undefined, keepEscapes = false): string {
  const parts: string[] = []
  let length = 0
  let end = 0
  const add = (part: string) => {
    parts.push(part)
    length += part.length
  }
  for (const { 0: written, 1: braced, 2: plain, index } of text.matchAll(reference)) {
    add(text.slice(end, index))
    if (written === '$$') add(keepEscapes ? written : '$')
    else add(resolve(braced ?? plain ?? '') ?? written)
    end = index + written.length
    if (length > longestResult) return text
  }
  add(text.slice(end))
  return length > longestResult ? text : parts.join('')
}

/**
 * Expands the references of variables among each other. Variables that refer to each other in a circle, and references to
 * variables of type file, stay as written: the runner replaces the latter by a path.
 * @returns the values by key
 */
export function expandVariables(variables: readonly Expandable[], keepEscapes = false): Map<string, string> {
  const byKey = new Map(variables.map((variable) => [variable.key, variable]))
  const expanded = new Map<string, string>()
  const circular = new Set<string>()
  let totalLength = 0

  const namesIn = ({ value, raw }: Expandable) =>
    raw ? [] : [...value.matchAll(reference)].map(([, braced, plain]) => braced ?? plain ?? '')

  const settle = (variable: Expandable) => {
    const { key, value, raw } = variable
    const text =
      raw || circular.has(key)
        ? value
        : expandText(value, (name) => (byKey.get(name)?.file ? undefined : expanded.get(name)), keepEscapes)
    const kept = totalLength + text.length > longestResults ? value : text
    totalLength += kept.length
    expanded.set(key, kept)
  }

  // Depth first with a stack of its own: a chain of references may be longer than the call stack.
  for (const start of byKey.values()) {
    const path: { variable: Expandable; open: string[] }[] = []
    const onPath = new Set<string>()
    const enter = (variable: Expandable) => {
      path.push({ variable, open: namesIn(variable).filter((name) => byKey.has(name)) })
      onPath.add(variable.key)
    }
    if (!expanded.has(start.key)) enter(start)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.open.pop()
      if (next === undefined) {
        settle(top.variable)
        onPath.delete(top.variable.key)
        path.pop()
      } else if (onPath.has(next)) {
        const from = path.findIndex(({ variable }) => variable.key === next)
        for (const { variable } of path.slice(from)) circular.add(variable.key)
      } else if (!expanded.has(next)) enter(byKey.get(next) as Expandable)
    }
  }
  return expanded
}
