import { compareVersions, parseVersion, type Version, versionSource } from './version.ts'

/** The title of a section: `## 1.2.0 (2026-01-31)`. */
const heading = new RegExp(`^##[ \\t]+(${versionSource})(?=[ \\t\\r]|$)`)

type Section = { version: Version; line: number }

function sectionsOf(lines: readonly string[]): Section[] {
  return lines.flatMap((text, line) => {
    const version = parseVersion(heading.exec(text)?.[1] ?? '')
    return version ? [{ version, line }] : []
  })
}

/** Texts with an empty line between them. */
function joined(...texts: string[]): string {
  // Only what is blank in ASCII: the texts may be bytes.
  const parts = texts.map((text) => text.replace(/[ \t\r\n]+$/, '')).filter((text) => text !== '')
  return parts.map((text, index) => `${index === 0 ? text : text.replace(/^[\r\n]+/, '')}\n`).join('\n')
}

/**
 * A changelog with the section of a version: in place of the one that it has of it, else before the first of a lower version,
 * else at the end.
 * @param content and `section` may stand for bytes (latin1): what else the file holds stays as it is, whatever its encoding
 */
export function withSection(content: string, version: Version, section: string): string {
  const lines = content.split('\n')
  const sections = sectionsOf(lines)
  const same = sections.findIndex((one) => compareVersions(one.version, version) === 0)
  const lower = sections.find((one) => compareVersions(one.version, version) < 0)
  const start = (same < 0 ? lower : sections[same])?.line ?? lines.length
  const end = same < 0 ? start : (sections[same + 1]?.line ?? lines.length)
  return joined(lines.slice(0, start).join('\n'), section, lines.slice(end).join('\n'))
}
