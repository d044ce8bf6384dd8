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

/** Joins texts with an empty line between them. */
function joined(...texts: string[]): string {
  // Trims ASCII blanks only: the texts may be bytes in latin1.
  const parts = texts.map((text) => text.replace(/[ \t\r\n]+$/, '')).filter((text) => text !== '')
  return parts.map((text, index) => `${index === 0 ? text : text.replace(/^[\r\n]+/, '')}\n`).join('\n')
}

/**
 * Adds the section of a version to a changelog: replaces the version's section, or precedes the first lower version, or is
 * appended.
 * @param content in latin1, as `section`, so that bytes of any encoding are preserved
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
