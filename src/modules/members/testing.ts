let serial = 0

/** A name that no other test uses. */
export function freshName(prefix: string): string {
  serial += 1
  return `${prefix}${serial}`
}
