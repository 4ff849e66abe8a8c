/** A time span to read, such as 23h59m5s. */
export function durationText(totalSeconds: number): string {
  const [hours, minutes, seconds] = [
    Math.floor(totalSeconds / 3600),
    Math.floor(totalSeconds / 60) % 60,
    totalSeconds % 60,
  ];
  return `${hours}h${minutes}m${seconds}s`;
}
