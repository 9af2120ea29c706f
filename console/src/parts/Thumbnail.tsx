/** A small picture, or empty space of the same size, so that rows do not move when pictures arrive. */
export function Thumbnail({
  src,
  name,
  size = 32,
}: {
  src: string | undefined;
  name: string;
  size?: number;
}) {
  if (src === undefined) {
    return (
      <span className="thumbnail" style={{ width: size, height: size }} aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
    );
  }
  return <img className="thumbnail" src={src} alt={name} width={size} height={size} />;
}
