import { t } from '../../../api/index.ts'
import { lines, type Setting } from '../setting.ts'

/** What a secret that is set looks like. */
const set = '*****'

/**
 * A secret of a product that nothing here talks to: whether it is set is stored, and the text is not. Who writes what was
 * read changes nothing; null and the empty text clear it (contract 20, "Settings without effect").
 */
export function secret(): Setting<string | null> {
  return {
    default: null,
    param: t.nullable(t.string({ maxLength: 1024 * 1024 })),
    combine(given, current) {
      if (given === set) return current
      return given === null || given === '' ? null : set
    },
  }
}

/** Ids of records. */
export function ids(): Setting<number[]> {
  return { default: [], param: t.array(t.integer({ minimum: 1 }), { commaSeparated: true }) }
}

/** A list of short texts, or null: none. */
export function listOrNone(): Setting<string[] | null> {
  return { default: null, param: t.nullable(lines().param) }
}

/** Seconds with fractions, at most an hour. */
export function seconds(initial: number): Setting<number> {
  const longest = 3600
  const schema = { type: 'number', minimum: 0, maximum: longest } as const
  return {
    default: initial,
    param: {
      ...t.integer(),
      schema,
      read(value, name, problems) {
        const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
        if (typeof read === 'number' && read >= 0 && read <= longest) return read
        problems.push({ name, missing: false, text: 'is invalid' })
        return undefined
      },
    },
  }
}

type Formats = { blockdiag: boolean; bpmn: boolean; excalidraw: boolean }

/** Which diagrams Kroki draws beside its usual ones; members that are not given stay as they are. */
export const krokiFormats: Setting<Formats, Partial<Formats>> = {
  default: { blockdiag: false, bpmn: false, excalidraw: false },
  param: t.object({ blockdiag: t.boolean(), bpmn: t.boolean(), excalidraw: t.boolean() }),
  combine: (given, current) => ({ ...current, ...given }),
}
