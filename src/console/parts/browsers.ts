const browsers = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[^)]*\bSafari\//, 'Safari'],
] as const

const systems = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

const longest = 60

/** What people call the browser that a `User-Agent` names: `Firefox 140 on Linux`. Others are shown as they are. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser'
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(userAgent)?.[1]
    if (version === undefined) continue
    const system = systems.find(([known]) => known.test(userAgent))?.[1]
    return system ? `${name} ${version} on ${system}` : `${name} ${version}`
  }
  return userAgent.length > longest ? `${userAgent.slice(0, longest)}…` : userAgent
}
