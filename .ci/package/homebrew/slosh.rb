# Homebrew, from the crate.
class Slosh < Formula
  desc "Tank of fluid in your terminal: tilt it, push it, leave it running"
  homepage "@HOMEPAGE@"
  url "https://static.crates.io/crates/slosh/slosh-@VERSION@.crate"
  sha256 "@SHA256:slosh-VERSION.crate@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "tar", "--strip-components=1", "-xzf", "slosh-#{version}.crate" unless File.exist?("Cargo.toml")
    system "cargo", "install", *std_cargo_args
    (buildpath/"slosh.1").write Utils.safe_popen_read(bin/"slosh", "man")
    (buildpath/"slosh-scene.5").write Utils.safe_popen_read(bin/"slosh", "man", "slosh-scene")
    man1.install "slosh.1"
    man5.install "slosh-scene.5"
    generate_completions_from_executable(bin/"slosh", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/slosh --version")
    assert_equal 24, shell_output("#{bin}/slosh render drop --seconds 1 --format text").lines.count
  end
end
